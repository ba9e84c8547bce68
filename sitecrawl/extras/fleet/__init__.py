"""Many sites, visited repeatedly by one machine or many: the schedule, the workers, the common
feed."""
