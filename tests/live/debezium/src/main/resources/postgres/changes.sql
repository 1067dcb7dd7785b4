-- before
CREATE TABLE changes (id int, part varchar(10), name text NOT NULL, moment timestamp(6), large text, PRIMARY KEY (id, part));
ALTER TABLE changes REPLICA IDENTITY ${identity};
ALTER TABLE changes ALTER COLUMN large SET STORAGE EXTERNAL;
INSERT INTO changes VALUES (1, 'a', 'one', '2024-01-01 00:00:00.000001', repeat('long ', 1000)), (2, 'a', 'two', NULL, NULL);
-- after
INSERT INTO changes VALUES (0, 'z', 'gone with the truncation', NULL, NULL);
TRUNCATE changes;
INSERT INTO changes VALUES (1, 'a', 'one', '2024-01-01 00:00:00.000001', NULL), (2, 'a', 'two', NULL, NULL);
UPDATE changes SET name = 'uno', moment = '2024-01-01 00:00:00.001' WHERE id = 1;
UPDATE changes SET id = 3, name = 'three' WHERE id = 2;
BEGIN;
INSERT INTO changes VALUES (4, 'b', 'four', '1969-12-31 23:59:59.999999', 'x'), (5, 'b', 'five', NULL, NULL);
UPDATE changes SET moment = '2024-02-29 12:00:00.5' WHERE part = 'b';
DELETE FROM changes WHERE id = 5;
COMMIT;
SELECT pg_logical_emit_message(true, 'note', 'hello');
ALTER TABLE changes ALTER COLUMN moment TYPE timestamp(3);
ALTER TABLE changes ADD COLUMN price numeric(8, 2);
INSERT INTO changes VALUES (6, 'c', 'six', '2024-03-01 00:00:00.123', NULL, 10);
UPDATE changes SET name = 'vier', price = 1.25 WHERE id = 4;
ALTER TABLE changes DROP COLUMN large;
INSERT INTO changes VALUES (7, 'c', 'seven', '2024-03-01 00:00:00.999', 3.5);
DELETE FROM changes WHERE id = 6;
-- rows
SELECT json_build_array('+I', json_build_array(id, part, name, to_char(moment, 'YYYY-MM-DD HH24:MI:SS.US'), price::text))
FROM changes ORDER BY id
-- table
id INT NOT NULL
part STRING NOT NULL
name STRING NOT NULL
moment TIMESTAMP(6)
price DECIMAL(8, 2)
PRIMARY KEY (id, part) NOT ENFORCED
