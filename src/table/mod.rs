//! Tables: DDL text and options, validated into one [`Table`] as Flink validates them.
