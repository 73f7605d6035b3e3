"""The pytest plugin of goccia-tools: ``*.sandbox.js`` files as tests."""
