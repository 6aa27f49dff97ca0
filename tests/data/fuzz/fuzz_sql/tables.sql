SELECT * FROM operations WHERE run_id = 1; SELECT * FROM waits; SELECT * FROM plot_points WHERE plot_id = 0 AND time_ns > 5.5 ORDER BY time_ns DESC; PRAGMA table_info(zones); ATTACH 'x' AS y;
SELECT * FROM messages WHERE time_ns < '9'; SELECT * FROM model_stack_entry; SELECT * FROM tracks WHERE id IN (1, NULL, 'x', 2.5);
