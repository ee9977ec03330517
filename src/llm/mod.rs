//! OpenAI-compatible models.
