"""Pairs of published networks whose truth a machine has found."""
