#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/codec/compression.h"
#include "common/column/forward_index.h"

// Columns in memory for scan_bench: index buffers as Pinot lays them out, and the values in them.

namespace trellis::bench {

struct BenchColumn {
  std::vector<uint8_t> payload;
  column::ForwardIndexShape shape;
  std::unique_ptr<column::ForwardIndexReader> reader;  // over `payload`
  // Where the values can be told from the document: value(doc) = ValueOf(doc, ...) below. Chunks of
  // a compressed column as (start, size) in `payload`, and the most bytes that one inflates to.
  std::vector<std::pair<size_t, size_t>> chunks;
  size_t chunk_size_bytes_max = 0;
  size_t value_size_bytes = 0;  // of all values together
};

// A number below 2^bits that follows from the document alone, without pattern.
uint32_t IdOf(uint32_t doc, int bits);
// One of 300 numbers, often one that was just there, as prices and quantities are: LZ4 makes them
// about half as large.
int64_t NumberOf(uint32_t doc);
// A line of 10 to 60 characters, made of words, that compresses about 2 to 1.
std::string LineOf(uint32_t doc);

BenchColumn BitPackedColumn(uint32_t docs, int bits);
// Rows of 1 to 7 ids, 4 on average; the id at position i of all values is IdOf(i, bits).
BenchColumn MultiValueColumn(uint32_t docs, int bits);
// Values of 4 or 8 bytes, 1024 documents a chunk.
BenchColumn RawColumn(uint32_t docs, codec::Compression compression, int width);
// Lines in a container of version 4 with chunks of 1 MiB.
BenchColumn LineColumn(uint32_t docs, codec::Compression compression);

}  // namespace trellis::bench
