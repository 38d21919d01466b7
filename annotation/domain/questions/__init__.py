"""The further questions of a campaign, beside its category: what is asked, when, and which answers are valid."""
