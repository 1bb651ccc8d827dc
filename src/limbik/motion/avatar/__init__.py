"""A body that follows trackers: a headset, hands, and what else there is."""
