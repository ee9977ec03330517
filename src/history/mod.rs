//! What a chain of nodes means.
