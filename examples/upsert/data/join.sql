-- Flink ran: INSERT INTO joined SELECT * FROM changes
-- where changes is what a LEFT JOIN emits: a row without its match, which is deleted when the match comes.
CREATE TABLE joined (
  l_id INT,
  tag_left STRING,
  tag_right STRING,
  PRIMARY KEY (l_id) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'joined_topic',
  'properties.bootstrap.servers' = 'localhost:9092',
  'key.format' = 'json',
  'value.format' = 'csv'
);
