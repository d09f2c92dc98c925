"""How sure numbers are: sums of counts, intervals by resampling, agreement of people."""
