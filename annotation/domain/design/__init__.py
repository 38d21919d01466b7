"""The design of a campaign: its categories and the words of its question, as one file, and how it may change."""
