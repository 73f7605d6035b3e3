"""Runs untrusted JavaScript in one fresh child process per run and returns one honest result."""
