#pragma once

#include "common/segment/segment_directory.h"

namespace trellis::segment {

// Where the pieces of a segment directory lie (format notes 1.1). Metadata is looked for in `v3/`
// first.
struct DirectoryPaths {
  std::filesystem::path root;   // as given
  std::filesystem::path files;  // holds metadata.properties and the index files: root or root/v3
};

// `columns.psf` + `index_map`. Maps the one file whole, at once while there is room for mappings
// that stay, else when it is used. Errors: Corrupt too when a range of `index_map` leaves
// `columns.psf`.
Result<std::unique_ptr<SegmentDirectory>> OpenV3Directory(const DirectoryPaths& paths);
// A file an index, named COLUMN + extension. Files are mapped when they are used.
Result<std::unique_ptr<SegmentDirectory>> OpenV1Directory(const DirectoryPaths& paths);

// Read `metadata.properties`, and `creation.meta` or "" when there is none.
Result<std::string> ReadMetadataOf(const DirectoryPaths& paths);
Result<std::string> ReadCreationMetaOf(const DirectoryPaths& paths);

}  // namespace trellis::segment
