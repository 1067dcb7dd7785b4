-- before
CREATE TABLE changes (id int, part varchar(10), name text NOT NULL, moment datetime(6), PRIMARY KEY (id, part));
INSERT INTO changes VALUES (1, 'a', 'one', '2024-01-01 00:00:00.000001'), (2, 'a', 'two', NULL);
-- after
INSERT INTO changes VALUES (0, 'z', 'gone with the truncation', NULL);
TRUNCATE changes;
INSERT INTO changes VALUES (1, 'a', 'one', '2024-01-01 00:00:00.000001'), (2, 'a', 'two', NULL);
UPDATE changes SET name = 'uno', moment = '2024-01-01 00:00:00.001' WHERE id = 1;
UPDATE changes SET id = 3, name = 'three' WHERE id = 2;
START TRANSACTION;
INSERT INTO changes VALUES (4, 'b', 'four', '1969-12-31 23:59:59.999999'), (5, 'b', 'five', NULL);
UPDATE changes SET moment = '2024-02-29 12:00:00.5' WHERE part = 'b';
DELETE FROM changes WHERE id = 5;
COMMIT;
ALTER TABLE changes MODIFY COLUMN moment datetime(3);
ALTER TABLE changes ADD COLUMN price decimal(8, 2);
INSERT INTO changes VALUES (6, 'c', 'six', '2024-03-01 00:00:00.123', 10);
UPDATE changes SET name = 'vier', price = 1.25 WHERE id = 4;
INSERT INTO changes VALUES (7, 'c', 'seven', '2024-03-01 00:00:00.999', 3.5);
DELETE FROM changes WHERE id = 6;
-- rows
SELECT JSON_ARRAY('+I', JSON_ARRAY(id, part, name, date_format(moment, '%Y-%m-%d %H:%i:%s.%f'), cast(price AS char))) FROM changes ORDER BY id
-- table
id INT NOT NULL
part STRING NOT NULL
name STRING NOT NULL
moment TIMESTAMP(6)
price DECIMAL(8, 2)
PRIMARY KEY (id, part) NOT ENFORCED
