-- Flink ran: INSERT INTO KafkaVersionTable SELECT valueKey, COUNT(*) FROM KafkaTable GROUP BY valueKey
CREATE TABLE KafkaVersionTable (
  valueKey INT NOT NULL,
  countNumber BIGINT,
  PRIMARY KEY (valueKey) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'versioned_topic',
  'properties.bootstrap.servers' = 'localhost:9092',
  'key.format' = 'json',
  'value.format' = 'json'
);
