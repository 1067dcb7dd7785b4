-- before
CREATE EXTENSION hstore;
CREATE TABLE toast (id int PRIMARY KEY, name text, large text, large_bytes bytea, large_ints int[], large_texts text[], large_map hstore);
ALTER TABLE toast ALTER COLUMN large SET STORAGE EXTERNAL, ALTER COLUMN large_bytes SET STORAGE EXTERNAL,
    ALTER COLUMN large_ints SET STORAGE EXTERNAL, ALTER COLUMN large_texts SET STORAGE EXTERNAL,
    ALTER COLUMN large_map SET STORAGE EXTERNAL;
-- after
INSERT INTO toast VALUES (1, 'short', repeat('0123456789', 250), decode(repeat('00ff', 1500), 'hex'),
    array_fill(7, ARRAY[800]), array_fill('text'::text, ARRAY[500]), hstore('k', repeat('v', 3000)));
UPDATE toast SET name = 'changed' WHERE id = 1;
-- rows
SELECT json_build_array('+I', json_build_array(id, name)) FROM toast
-- table
id INT NOT NULL
name STRING
PRIMARY KEY (id) NOT ENFORCED
