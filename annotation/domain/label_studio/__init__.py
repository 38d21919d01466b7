"""Label Studio's form of a post and its labels: releases write it, imports read it."""
