//! What can be said about a bundle without running it, and the names it goes by.
