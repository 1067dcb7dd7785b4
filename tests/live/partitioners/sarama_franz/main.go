// Records which partition Sarama and franz-go choose for keys: go run . < KEYS > LINES. KEYS has a key a line, in hexadecimal digits.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"
)

var counts = []int{1, 2, 3, 5, 6, 7, 12, 16, 50, 100, 1000, 65535}

func main() {
	sticky := kgo.StickyKeyPartitioner(nil).ForTopic("t")
	saramas := map[string]sarama.Partitioner{
		"sarama hash":      sarama.NewHashPartitioner("t"),
		"sarama reference": sarama.NewReferenceHashPartitioner("t"),
	}
	lines, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for lines.Scan() {
		key, err := hex.DecodeString(lines.Text())
		if err != nil {
			panic(err)
		}
		partitions := map[string][]int{}
		for _, count := range counts {
			partition := sticky.Partition(&kgo.Record{Topic: "t", Key: key}, count)
			partitions["franz-go sticky key"] = append(partitions["franz-go sticky key"], partition)
			for name, partitioner := range saramas {
				message := &sarama.ProducerMessage{Topic: "t", Key: sarama.ByteEncoder(key)}
				partition, err := partitioner.Partition(message, int32(count))
				if err != nil {
					panic(err)
				}
				partitions[name] = append(partitions[name], int(partition))
			}
		}
		if err := out.Encode(map[string]any{"key": lines.Text(), "partitions": partitions}); err != nil {
			panic(err)
		}
	}
}
