"""The published methods: yardsticks of the benchmark, and a choice for those who want one of
them."""
