package trellis.peer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.pinot.segment.local.io.writer.impl.VarByteChunkForwardIndexWriterV4;
import org.apache.pinot.segment.spi.compression.ChunkCompressionType;

/**
 * What Pinot's writer of raw forward indexes (container 4, chunks of 1 MiB) takes for given rows.
 * Usage: RawWriteBench TIMES OUT_FILE CODEC ROWS_FILE [CODEC ROWS_FILE...]: a rows file holds, per
 * row, its length (i32 BE) and its bytes. Prints a JSON array, nanoseconds a file; OUT_FILE keeps
 * the last one written.
 */
public final class RawWriteBench {
  private static final int CHUNK_BYTES = 1 << 20;

  private RawWriteBench() {
  }

  public static void main(String[] arguments) throws Exception {
    ArrayNode results = RowText.JSON.createArrayNode();
    int times = Integer.parseInt(arguments[0]);
    File out = new File(arguments[1]);
    for (int i = 2; i < arguments.length; i += 2) {
      ChunkCompressionType codec = ChunkCompressionType.valueOf(arguments[i]);
      Path path = Path.of(arguments[i + 1]);
      List<byte[]> rows = rows(path);
      Measured.add(results, codec + "/" + path.getFileName(), 1, 2, times, () -> {
        Files.deleteIfExists(out.toPath());
        try (VarByteChunkForwardIndexWriterV4 writer =
            new VarByteChunkForwardIndexWriterV4(out, codec, CHUNK_BYTES)) {
          for (byte[] row : rows) {
            writer.putBytes(row);
          }
        }
        return out.length();
      });
    }
    System.out.println(RowText.JSON.writeValueAsString(results));
    System.exit(0); // Pinot leaves threads behind
  }

  private static List<byte[]> rows(Path path) throws IOException {
    List<byte[]> rows = new ArrayList<>();
    try (DataInputStream input =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 20))) {
      while (true) {
        byte[] row = new byte[input.readInt()];
        input.readFully(row);
        rows.add(row);
      }
    } catch (EOFException end) {
      return rows;
    }
  }
}
