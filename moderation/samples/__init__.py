"""What the sample campaign knows about debates: written by hand, as mild as their purpose allows, and saying so."""
