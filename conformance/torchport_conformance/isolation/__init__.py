"""Worker processes that contain crashes, hangs and exits of a backend."""
