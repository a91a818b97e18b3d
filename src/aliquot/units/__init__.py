"""Quantities, versions and durations as Kubernetes parses, compares and prints them.

What it is: exact values and their grammars, equal to Go's answers (`resource.Quantity`, blang/semver v4,
`time.Duration`), quirks included. What it isn't: conversion for people's eyes, or anything that knows what is measured.
It may know nothing else in the project.
"""
