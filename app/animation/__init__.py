"""A stretch of a recording as an animated picture: what to show, the files, the rendering, and without a window."""
