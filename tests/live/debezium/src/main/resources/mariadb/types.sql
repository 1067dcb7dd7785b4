-- before
CREATE TABLE types (
    id int PRIMARY KEY,
    a_boolean boolean,
    a_bit bit(1),
    some_bits bit(11),
    a_tinyint tinyint,
    a_smallint smallint,
    a_mediumint mediumint,
    a_bigint bigint NOT NULL,
    an_unsigned int unsigned,
    an_unsigned_bigint bigint unsigned,
    a_float float,
    a_double double,
    a_char char(5),
    a_varchar varchar(20) NOT NULL,
    a_text text,
    a_binary binary(4),
    a_blob blob,
    a_decimal decimal(10, 3),
    a_whole decimal(38, 0),
    a_date date,
    a_time time(3),
    a_time6 time(6),
    a_datetime datetime,
    a_datetime3 datetime(3),
    a_datetime6 datetime(6),
    a_timestamp timestamp(6) NULL,
    a_year year,
    an_enum enum('sad', 'ok', 'happy'),
    a_set set('a', 'b', 'c'),
    a_set_of_words set('a', 'b', 'c'),
    a_json json,
    a_uuid uuid,
    a_point point,
    a_geometry geometry
);
INSERT INTO types VALUES (1, true, b'1', b'10000000001', -128, -7, 8388607, 9223372036854775807, 4294967295, ${unsigned}, 1.5, -0.1, 'ab', 'Zürich "1"', 'line\nbreak\t\\ €', x'00ff10fb', x'00ff10fbef', 1234567.891, ${whole}, '2024-02-29', '23:59:59.999', '12:34:56.789', '2024-02-29 12:34:56', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789012', '2024-02-29 12:34:56.789012', 2024, 'happy', 'a,c', 'a,c', '{"a": [1, null]}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', point(1.5, -2), st_geomfromtext('LINESTRING(0 0, 1 1)'));
INSERT INTO types (id, a_bigint, a_varchar) VALUES (2, 0, '');
-- after
INSERT INTO types VALUES (3, false, b'0', b'00000000000', 127, 32767, -8388608, -9223372036854775808, 0, 0, -3.25, 1e300, '', 'x', '', x'00000000', '', -0.001, -${whole}, '1000-01-01', '00:00:00', '00:00:00.001', '1969-12-31 23:59:59', '1969-12-31 23:59:59.999', '1969-12-31 23:59:59.999999', '1970-01-01 00:00:01', 1901, 'sad', '', 'b', '[]', '00000000-0000-0000-0000-000000000000', point(0, 0), point(-1.5, 0));
INSERT INTO types (id, a_bigint, a_varchar) VALUES (4, 4, 'to be deleted');
UPDATE types SET a_decimal = 0.5, a_date = '1969-12-31', a_datetime3 = '2000-01-01 00:00:00.001', a_blob = x'fe' WHERE id = 2;
UPDATE types SET id = 5, a_varchar = 'was 3' WHERE id = 3;
DELETE FROM types WHERE id = 4;
-- rows
SELECT JSON_ARRAY('+I', JSON_ARRAY(
    id, JSON_COMPACT(CASE a_boolean WHEN 1 THEN 'true' WHEN 0 THEN 'false' END), JSON_COMPACT(CASE a_bit WHEN 1 THEN 'true' WHEN 0 THEN 'false' END), some_bits + 0, a_tinyint, a_smallint, a_mediumint, a_bigint, an_unsigned, cast(an_unsigned_bigint AS char),
    a_float, a_double, a_char, a_varchar, a_text, to_base64(a_binary), to_base64(a_blob), cast(a_decimal AS char), cast(a_whole AS char),
    cast(a_date AS char), time_format(a_time, '%H:%i:%s.%f'), time_format(a_time6, '%H:%i:%s.%f'),
    date_format(a_datetime, '%Y-%m-%d %H:%i:%s'), date_format(a_datetime3, '%Y-%m-%d %H:%i:%s.%f'), date_format(a_datetime6, '%Y-%m-%d %H:%i:%s.%f'),
    concat(date_format(a_timestamp, '%Y-%m-%d %H:%i:%s.%f'), 'Z'), a_year, an_enum, a_set,
    JSON_COMPACT(CASE WHEN a_set_of_words = '' THEN '[]' ELSE concat('["', replace(a_set_of_words, ',', '","'), '"]') END),
    concat('', a_json), cast(a_uuid AS char),
    JSON_COMPACT(CASE WHEN a_point IS NOT NULL THEN JSON_ARRAY(st_x(a_point), st_y(a_point)) END),
    JSON_COMPACT(CASE WHEN a_geometry IS NOT NULL THEN JSON_ARRAY(to_base64(st_asbinary(a_geometry)), NULL) END)
)) FROM types ORDER BY id
-- table
id INT NOT NULL
a_boolean BOOLEAN
a_bit BOOLEAN
some_bits BIGINT
a_tinyint TINYINT
a_smallint SMALLINT
a_mediumint INT
a_bigint BIGINT NOT NULL
an_unsigned BIGINT
an_unsigned_bigint DECIMAL(20, 0)
a_float FLOAT
a_double DOUBLE
a_char STRING
a_varchar STRING NOT NULL
a_text STRING
a_binary BYTES
a_blob BYTES
a_decimal DECIMAL(10, 3)
a_whole DECIMAL(38, 0)
a_date DATE
a_time TIME(3)
a_time6 TIME(3)
a_datetime TIMESTAMP(0)
a_datetime3 TIMESTAMP(3)
a_datetime6 TIMESTAMP(6)
a_timestamp TIMESTAMP_LTZ(6)
a_year INT
an_enum STRING
a_set STRING
a_set_of_words ARRAY<STRING>
a_json STRING
a_uuid STRING
a_point ROW<x DOUBLE, y DOUBLE>
a_geometry ROW<wkb BYTES, srid INT>
PRIMARY KEY (id) NOT ENFORCED
