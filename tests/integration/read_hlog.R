# Prints what base R finds in a histogram log, in the form of make_hlog. R has no reader for these logs: this one follows
# the published format (HdrHistogram log 1.3; V2 payload, ZigZag LEB128 counts), by itself.

alphabet <- c(LETTERS, letters, 0:9, "+", "/")

base64 <- function(text) {
    digits <- match(strsplit(sub("=+$", "", text), "")[[1]], alphabet) - 1
    bits <- as.vector(vapply(digits, function(d) rev(as.integer(intToBits(d))[1:6]), integer(6)))
    bits <- bits[seq_len(length(bits) %/% 8 * 8)]
    packBits(as.vector(matrix(bits, nrow = 8)[8:1, ]), "raw")
}

big_endian <- function(bytes) sum(as.numeric(bytes) * 256^((length(bytes) - 1):0))

# Runs of counts: a negative number is so many empty buckets.
counts_of <- function(bytes) {
    counts <- numeric(0)
    at <- 1
    while (at <= length(bytes)) {
        value <- 0
        shift <- 0
        repeat {
            byte <- as.integer(bytes[at])
            at <- at + 1
            last <- shift == 56 || byte < 128
            value <- value + (if (shift == 56) byte else byte %% 128) * 2^shift
            if (last) break
            shift <- shift + 7
        }
        number <- if (value %% 2 == 0) value / 2 else -(value + 1) / 2
        counts <- c(counts, if (number < 0) numeric(-number) else number)
    }
    counts
}

# 3 digits: values below 2048 one by one, then 1024 steps an octave.
lowest <- function(index) ifelse(index < 2048, index, (index %% 1024 + 1024) * 2^(index %/% 1024 - 1))
highest <- function(index) lowest(index + 1) - 1

show <- function(tag, name, value)
    cat(paste(c(tag, name, format(value, scientific = FALSE, trim = TRUE, digits = 15)), collapse = " "), "\n", sep = "")

start <- 0
for (line in readLines(commandArgs(trailingOnly = TRUE)[1])) {
    if (startsWith(line, "#[StartTime:")) start <- as.numeric(sub("^#\\[StartTime: ([0-9.]+).*", "\\1", line))
    if (startsWith(line, "#") || startsWith(line, "\"")) next
    fields <- strsplit(line, ",")[[1]]
    tag <- if (startsWith(fields[1], "Tag=")) sub("^Tag=", "", fields[1]) else ""
    if (tag != "") fields <- fields[-1]
    outer <- base64(fields[4])
    stopifnot(big_endian(outer[1:4]) == 0x1c849314, big_endian(outer[5:8]) == length(outer) - 8)
    inner <- memDecompress(outer[-(1:8)], type = "gzip") # zlib's header is recognised
    stopifnot(big_endian(inner[1:4]) == 0x1c849313, big_endian(inner[13:16]) == 3) # V2, 3 digits
    counts <- counts_of(inner[41:(40 + big_endian(inner[5:8]))])
    index <- which(counts > 0) - 1
    n <- counts[counts > 0]
    show(tag, "n", sum(n))
    for (i in seq_along(index)) show(tag, "count", c(highest(index[i]), n[i]))
    show(tag, "min", lowest(index[1]))
    show(tag, "max", highest(index[length(index)]))
    for (percent in c(50, 99, 99.9))
        show(tag, paste0("p", percent), highest(index[which(cumsum(n) >= ceiling(percent / 100 * sum(n) * (1 - 1e-14)))[1]]))
    # relative to the start of the log where that is a time of day
    begin <- as.numeric(fields[1]) + (if (as.numeric(fields[1]) < start - 365 * 86400) start else 0)
    show(tag, "time", round(c(begin, begin + as.numeric(fields[2])) * 1000))
}
