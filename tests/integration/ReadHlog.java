/* Prints what the reference implementation finds in a histogram log, in the form of make_hlog. */
import java.io.File;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;

public class ReadHlog {
    public static void main(String[] args) throws Exception {
        HistogramLogReader reader = new HistogramLogReader(new File(args[0]));
        EncodableHistogram next;
        while ((next = reader.nextIntervalHistogram()) != null) {
            Histogram histogram = (Histogram) next;
            String tag = histogram.getTag();
            System.out.println(tag + " n " + histogram.getTotalCount());
            for (HistogramIterationValue value : histogram.recordedValues()) {
                System.out.println(tag + " count " + value.getValueIteratedTo() + " "
                        + value.getCountAddedInThisIterationStep());
            }
            System.out.println(tag + " min " + histogram.getMinValue());
            System.out.println(tag + " max " + histogram.getMaxValue());
            System.out.println(tag + " p50 " + histogram.getValueAtPercentile(50));
            System.out.println(tag + " p99 " + histogram.getValueAtPercentile(99));
            System.out.println(tag + " p99.9 " + histogram.getValueAtPercentile(99.9));
            System.out.println(tag + " time " + histogram.getStartTimeStamp() + " " + histogram.getEndTimeStamp());
        }
    }
}
