// Records which partition kafkajs chooses for keys: node kafkajs.js < KEYS > LINES, with the package kafkajs installed.
// KEYS has a key a line, in hexadecimal digits.
const { Partitioners } = require('kafkajs')
const COUNTS = [1, 2, 3, 5, 6, 7, 12, 16, 50, 100, 1000, 65535]
const partitioners = { 'kafkajs legacy': Partitioners.LegacyPartitioner(), 'kafkajs default': Partitioners.DefaultPartitioner() }
const partitionsOf = COUNTS.map(n => Array.from({ length: n }, (_, partitionId) => ({ partitionId, leader: 1 })))
for (const line of require('fs').readFileSync(0, 'utf8').split('\n').slice(0, -1)) {
  const message = { key: Buffer.from(line, 'hex') }
  const partitions = {}
  for (const [name, partition] of Object.entries(partitioners)) {
    partitions[name] = partitionsOf.map(partitionMetadata => partition({ topic: 't', partitionMetadata, message }))
  }
  console.log(JSON.stringify({ key: line, partitions }))
}
