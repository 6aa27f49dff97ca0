-- What the trace lacks: lost zones and packets, gaps, stalls.
SELECT kind, count(*) AS times, sum(lost) AS lost, sum(length_ns) AS length_ns, min(time_ns) AS first_ns
FROM losses
GROUP BY kind
ORDER BY kind;
