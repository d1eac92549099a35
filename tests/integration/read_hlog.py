"""Prints what the Python reader (hdrhistogram on PyPI) finds in a histogram log, in the form of make_hlog."""

import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

reader = HistogramLogReader(sys.argv[1], HdrHistogram(1, 3600000000000, 3))
while True:
    histogram = reader.get_next_interval_histogram()
    if histogram is None:
        break
    tag = histogram.get_tag()
    print(tag, "n", histogram.get_total_count())
    for value in histogram.get_recorded_iterator():
        print(tag, "count", value.value_iterated_to, value.count_added_in_this_iter_step)
    print(tag, "min", histogram.get_min_value())
    print(tag, "max", histogram.get_max_value())
    for percentile in (50, 99, 99.9):
        print(tag, f"p{percentile:g}", histogram.get_value_at_percentile(percentile))
    print(tag, "time", int(histogram.get_start_time_stamp()), int(histogram.get_end_time_stamp()))
