-- before
CREATE EXTENSION hstore;
CREATE EXTENSION ltree;
CREATE EXTENSION citext;
CREATE EXTENSION postgis;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN cents AS numeric(12, 2);
CREATE TABLE types (
    id int PRIMARY KEY,
    a_boolean boolean,
    a_bit bit(1),
    some_bits bit(11),
    up_to_bits bit varying(70),
    a_smallint smallint,
    a_bigint bigint NOT NULL,
    an_oid oid,
    a_real real,
    a_double double precision,
    a_char char(5),
    a_varchar varchar(20) NOT NULL,
    a_text text,
    a_citext citext,
    a_bytea bytea,
    a_numeric numeric(10, 3),
    a_whole numeric(38, 0),
    any_numeric numeric,
    any_numeric_text numeric,
    a_domain cents,
    a_money money,
    a_date date,
    a_time time(3),
    a_time6 time,
    a_timestamp0 timestamp(0),
    a_timestamp3 timestamp(3),
    a_timestamp6 timestamp,
    a_timestamptz timestamptz,
    a_timetz timetz,
    an_interval interval,
    a_uuid uuid,
    a_json json,
    a_jsonb jsonb,
    an_xml xml,
    an_inet inet,
    a_cidr cidr,
    a_macaddr macaddr,
    an_enum mood,
    an_ltree ltree,
    an_hstore hstore,
    a_point point,
    a_geometry geometry,
    a_tsvector tsvector,
    an_int4range int4range,
    a_numrange numrange,
    a_tstzrange tstzrange,
    a_daterange daterange,
    some_ints int[],
    some_texts text[],
    some_numerics numeric(5, 2)[],
    some_dates date[],
    some_timestamps timestamp(3)[],
    some_uuids uuid[]
);
ALTER TABLE types REPLICA IDENTITY FULL;
INSERT INTO types VALUES (1, true, B'1', B'10000000001', B'101', -7, 9223372036854775807, 4294967295, 1.5, -0.1, 'ab', 'Zürich "1"', E'line\nbreak\t\\ \u20ac', 'CiText', '\x00ff10fbef', 1234567.891, ${whole}, 3.14, 12.5, 7.25, '12.34', '2024-02-29', '23:59:59.999', '12:34:56.789', '2024-02-29 12:34:56', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789012', '2024-02-29 12:34:56.789012+02', '12:34:56.5+02', '1 day 02:03:04.5', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": [1, null]}', '{"b": "x"}', '<a b="c">d</a>', '192.168.0.1/24', '10.0.0.0/8', '08:00:2b:01:02:03', 'happy', 'top.science', 'k=>v, "n"=>NULL', '(1.5,-2)', 'SRID=4326;POINT(1 2)', 'a fat cat', '[1,5)', '(1.5,2.5]', '["2024-01-01 00:00:00+00","2024-02-01 00:00:00+00")', '[2024-01-01,2024-02-01)', '{1,NULL,-3}', '{a,NULL,"c d"}', '{1.50,-2.25}', '{2024-02-29,1969-12-31}', '{"2024-02-29 12:34:56.789"}', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}');
INSERT INTO types (id, a_bigint, a_varchar) VALUES (2, 0, '');
-- after
INSERT INTO types VALUES (3, false, B'0', B'00000000000', B'1111111111111111111111111111111111111111111111111111111111', 32767, -9223372036854775808, 0, -3.25, 1e300, '', 'x', '', '', '', -0.001, -${whole}, ${numeric}, -0.05, -7.25, '-1234.50', '0001-01-01', '00:00:00', '00:00:00.001', '1969-12-31 23:59:59', '1969-12-31 23:59:59.999', '1969-12-31 23:59:59.999999', '0001-01-01 00:00:00+00', '00:00:00-11', '-1 day -00:00:00.5', '00000000-0000-0000-0000-000000000000', 'null', '[]', '<e/>', '::1', '::/0', 'ff:ff:ff:ff:ff:ff', 'sad', 'a', '', '(0,0)', 'POINT(-1.5 0)', '', 'empty', '(,)', '["2024-01-01 00:00:00+00",)', 'empty', '{}', '{}', '{}', '{}', '{}', '{}');
INSERT INTO types (id, a_bigint, a_varchar) VALUES (4, 4, 'to be deleted');
UPDATE types SET a_numeric = 0.5, a_date = '1969-12-31', a_timestamp3 = '2000-01-01 00:00:00.001', a_bytea = '\xfe', an_hstore = 'a=>b' WHERE id = 2;
UPDATE types SET id = 5, a_varchar = 'was 3' WHERE id = 3;
DELETE FROM types WHERE id = 4;
-- rows
SELECT json_build_array('+I', json_build_array(
    id, a_boolean, a_bit = B'1', some_bits::bigint, lpad(up_to_bits::text, 64, '0')::bit(64)::bigint, a_smallint, a_bigint, an_oid::bigint,
    a_real, a_double, rpad(a_char::text, 5), a_varchar, a_text, a_citext::text, encode(a_bytea, 'base64'),
    a_numeric::text, a_whole::text, round(any_numeric, 10)::text, any_numeric_text::text, a_domain::text, a_money::numeric::text,
    a_date::text, a_time::text, to_char(a_time6, 'HH24:MI:SS.MS'),
    to_char(a_timestamp0, 'YYYY-MM-DD HH24:MI:SS'), to_char(a_timestamp3, 'YYYY-MM-DD HH24:MI:SS.MS'),
    to_char(a_timestamp6, 'YYYY-MM-DD HH24:MI:SS.US'),
    to_char(a_timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || 'Z',
    to_char((a_timetz AT TIME ZONE 'UTC')::time, 'HH24:MI:SS.MS'), (extract(epoch FROM an_interval) * 1000000)::bigint,
    a_uuid::text, a_json::text, a_jsonb::text, an_xml::text, abbrev(an_inet), a_cidr::text, a_macaddr::text, an_enum::text, an_ltree::text,
    CASE WHEN an_hstore IS NOT NULL THEN (SELECT coalesce(json_agg(json_build_array(key, value) ORDER BY key), '[]') FROM each(an_hstore)) END,
    CASE WHEN a_point IS NOT NULL THEN json_build_array(a_point[0], a_point[1]) END,
    CASE WHEN a_geometry IS NOT NULL THEN json_build_array(encode(ST_AsEWKB(a_geometry, 'NDR'), 'base64'), nullif(ST_SRID(a_geometry), 0)) END,
    a_tsvector::text, an_int4range::text, a_numrange::text, a_tstzrange::text, a_daterange::text,
    some_ints, some_texts, some_numerics::text[], some_dates::text[], some_timestamps::text[], some_uuids::text[]
)) FROM types ORDER BY id
-- table
id INT NOT NULL
a_boolean BOOLEAN
a_bit BOOLEAN
some_bits BIGINT
up_to_bits BIGINT
a_smallint SMALLINT
a_bigint BIGINT NOT NULL
an_oid BIGINT
a_real FLOAT
a_double DOUBLE
a_char STRING
a_varchar STRING NOT NULL
a_text STRING
a_citext STRING
a_bytea BYTES
a_numeric DECIMAL(10, 3)
a_whole DECIMAL(38, 0)
any_numeric DECIMAL(38, 10)
any_numeric_text STRING
a_domain DECIMAL(12, 2)
a_money DECIMAL(19, 2)
a_date DATE
a_time TIME(3)
a_time6 TIME(6)
a_timestamp0 TIMESTAMP(0)
a_timestamp3 TIMESTAMP(3)
a_timestamp6 TIMESTAMP(6)
a_timestamptz TIMESTAMP_LTZ(6)
a_timetz TIME(3)
an_interval BIGINT
a_uuid STRING
a_json STRING
a_jsonb STRING
an_xml STRING
an_inet STRING
a_cidr STRING
a_macaddr STRING
an_enum STRING
an_ltree STRING
an_hstore MAP<STRING, STRING>
a_point ROW<x DOUBLE, y DOUBLE>
a_geometry ROW<wkb BYTES, srid INT>
a_tsvector STRING
an_int4range STRING
a_numrange STRING
a_tstzrange STRING
a_daterange STRING
some_ints ARRAY<INT>
some_texts ARRAY<STRING>
some_numerics ARRAY<DECIMAL(5, 2)>
some_dates ARRAY<DATE>
some_timestamps ARRAY<TIMESTAMP(3)>
some_uuids ARRAY<STRING>
PRIMARY KEY (id) NOT ENFORCED
