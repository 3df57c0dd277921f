"""Machine tables, occupancy and the cycle model. Every figure from here is *modelled*."""
