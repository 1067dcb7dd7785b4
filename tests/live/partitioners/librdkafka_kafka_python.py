"""Records which partition librdkafka and kafka-python choose for keys.

librdkafka's partitioners are public functions of the library that confluent-kafka ships.
"""
import ctypes, glob, json, os, sys

import confluent_kafka
from kafka.partitioner import DefaultPartitioner

COUNTS = [1, 2, 3, 5, 6, 7, 12, 16, 50, 100, 1000, 65535]
libs = os.path.join(os.path.dirname(os.path.dirname(confluent_kafka.__file__)), "confluent_kafka.libs")
lib = ctypes.CDLL(glob.glob(libs + "/librdkafka*.so*")[0])
names = ["consistent", "consistent_random", "murmur2", "murmur2_random", "fnv1a", "fnv1a_random"]
fns = {}
for name in names:
    fn = getattr(lib, "rd_kafka_msg_partitioner_" + name)
    fn.restype = ctypes.c_int32
    fn.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p]
    fns[name] = fn


class Cluster:
    """Of kafka-python's ClusterMetadata what its partitioner asks."""

    def __init__(self, count):
        self.count = count

    def topics(self):
        return {"t"}

    def partitions_for_topic(self, topic):
        return set(range(self.count))

    available_partitions_for_topic = partitions_for_topic


python = DefaultPartitioner()
for line in sys.stdin:
    key = bytes.fromhex(line.strip())
    partitions = {}
    for name, fn in fns.items():
        # This one treats an empty key as none, and then needs a topic to draw from.
        if key or name != "consistent_random":
            partitions["librdkafka " + name] = [fn(None, key, len(key), n, None, None) for n in COUNTS]
    partitions["kafka-python default"] = [python.partition("t", key, key, None, None, Cluster(n)) for n in COUNTS]
    print(json.dumps({"key": line.strip(), "partitions": partitions}, separators=(",", ":")))
