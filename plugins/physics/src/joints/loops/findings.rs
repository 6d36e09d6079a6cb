//! What can be said about loops before they run.
