"""Recorded runs that others published, brought into a catalog with their source named."""
