//! A Legion world that follows the merged state.
