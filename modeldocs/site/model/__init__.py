"""A model's page: its ports compared with each other."""
