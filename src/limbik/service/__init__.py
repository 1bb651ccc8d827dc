"""Requests that are answered over HTTP: what limbik knows, for programs in any language."""
