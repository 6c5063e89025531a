"""The corpus, a module per topic; every module has cases(), which yields Case objects."""
