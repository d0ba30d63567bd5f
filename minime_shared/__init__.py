"""What several plugins need and the core does not: plugins may import it, the core may not."""
