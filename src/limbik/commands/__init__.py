"""The commands of the command line, each in a file of its own; `limbik.cli` puts them together."""
