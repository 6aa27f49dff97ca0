-- The greatest value of each plot, when it was first reached, and the mean over time.
WITH steps AS (
  SELECT plot_id, plot, time_ns, value, lead(time_ns) OVER (PARTITION BY plot_id ORDER BY time_ns) - time_ns AS lasts_ns
  FROM plot_points)
SELECT plot, max(value) AS peak, (SELECT min(p.time_ns) FROM plot_points AS p
                                  WHERE p.plot_id = steps.plot_id AND p.value = max(steps.value)) AS at_ns,
       round(sum(value * lasts_ns) / sum(lasts_ns), 6) AS mean_over_time
FROM steps
GROUP BY plot_id
ORDER BY plot_id;
