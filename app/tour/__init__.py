"""The self-driving tour: the window used like a user would, every claim measured, exit status 0 only if all held."""
