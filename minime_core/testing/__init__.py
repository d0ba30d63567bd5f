"""What tests and plugin authors need to run against a model that follows a script."""
