-- Which tile waited longest for cores named :giver (NCRISC) in operation :op (17): -p op=17 -p giver=NCRISC.
SELECT waiter, giver, sum(waited_ns) AS waited_ns, count(*) AS flows
FROM operations JOIN flows ON flows.time_ns BETWEEN operations.start_ns AND operations.end_ns
WHERE run_id = :op AND giver LIKE '%' || :giver || '%'
GROUP BY waiter_id, giver_id
ORDER BY 3 DESC, waiter, giver;
