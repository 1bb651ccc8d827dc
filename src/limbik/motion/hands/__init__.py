"""Hands: joints of tracked hands, models of hands, and configurations that follow them."""
