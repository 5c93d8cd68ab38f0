package trellis.peer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pinot.segment.local.segment.readers.PinotSegmentColumnReader;
import org.apache.pinot.segment.spi.ImmutableSegment;
import org.apache.pinot.segment.spi.datasource.DataSource;
import org.apache.pinot.segment.spi.index.reader.BloomFilterReader;
import org.apache.pinot.segment.spi.index.reader.Dictionary;
import org.apache.pinot.segment.spi.index.reader.RangeIndexReader;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.utils.BytesUtils;
import org.apache.pinot.spi.utils.Pairs;
import org.roaringbitmap.buffer.ImmutableRoaringBitmap;

/**
 * Asks the indexes of a segment, through Pinot's readers, for some values, and compares the docIds
 * with a scan of a trusted segment of the same rows.
 */
final class IndexProbe {
  private static final int VALUES_MAX = 40;
  private static final int ABSENT = 400;

  private final ImmutableSegment trusted;
  private final Random random;
  private final List<String> faults = new ArrayList<>();
  private long count;

  IndexProbe(ImmutableSegment segment, ImmutableSegment trusted, long seed) throws Exception {
    this.trusted = trusted;
    this.random = new Random(seed);
    int rows = trusted.getSegmentMetadata().getTotalDocs();
    for (String column : rows == 0 ? Set.<String>of() : trusted.getPhysicalColumnNames()) {
      DataSource source = segment.getDataSource(column);
      DataSource want = trusted.getDataSource(column);
      check(column, "inverted index", source.getInvertedIndex(), want.getInvertedIndex());
      check(column, "range index", source.getRangeIndex(), want.getRangeIndex());
      check(column, "bloom filter", source.getBloomFilter(), want.getBloomFilter());
      check(column, "dictionary", source.getDictionary(), want.getDictionary());
      check(column, "null vector", source.getNullValueVector(), want.getNullValueVector());
      if (source.getInvertedIndex() != null || source.getRangeIndex() != null
          || source.getBloomFilter() != null) {
        probe(column, source, values(column, rows));
      }
    }
  }

  List<String> faults() {
    return faults;
  }

  long count() {
    return count;
  }

  private void check(String column, String what, Object got, Object want) {
    if ((got == null) != (want == null)) {
      faults.add(column + ": " + what
          + (got == null ? " is missing" : " is there, Pinot has none"));
    }
  }

  /** Per document its values, of stored types; under a null, the default. */
  private List<List<Object>> values(String column, int rows) throws Exception {
    List<List<Object>> values = new ArrayList<>(rows);
    try (PinotSegmentColumnReader reader = new PinotSegmentColumnReader(trusted, column)) {
      for (int docId = 0; docId < rows; docId++) {
        Object value = reader.getValue(docId);
        values.add(value instanceof Object[] many ? Arrays.stream(many).map(IndexProbe::keyed)
            .toList() : List.of(keyed(value)));
      }
    }
    return values;
  }

  /** What compares by content. */
  private static Object keyed(Object value) {
    return value instanceof byte[] bytes ? BytesUtils.toHexString(bytes) : value;
  }

  private void probe(String column, DataSource source, List<List<Object>> values) {
    Set<Object> distinct = new LinkedHashSet<>();
    values.forEach(distinct::addAll);
    List<Object> some = new ArrayList<>(distinct);
    java.util.Collections.shuffle(some, random);
    some = some.subList(0, Math.min(VALUES_MAX, some.size()));
    if (source.getInvertedIndex() != null) {
      for (Object value : some) {
        probeInverted(column, source, value, values);
      }
    }
    if (source.getRangeIndex() != null) {
      for (Object low : some) {
        probeRange(column, source, low, some.get(random.nextInt(some.size())), values);
      }
    }
    if (source.getBloomFilter() != null) {
      probeBloom(column, source.getBloomFilter(), distinct);
    }
  }

  private void probeInverted(String column, DataSource source, Object value,
      List<List<Object>> values) {
    Dictionary dictionary = source.getDictionary();
    int dictId = dictionary.indexOf(text(value));
    if (dictId < 0) {
      faults.add(column + ": the dictionary lacks " + value);
      return;
    }
    Set<Integer> got = new TreeSet<>();
    Object found = source.getInvertedIndex().getDocIds(dictId);
    if (found instanceof Pairs.IntPair range) {
      for (int docId = range.getLeft(); docId <= range.getRight(); docId++) {
        got.add(docId);
      }
    } else {
      ((ImmutableRoaringBitmap) found).forEach((org.roaringbitmap.IntConsumer) got::add);
    }
    Set<Integer> want = new TreeSet<>();
    for (int docId = 0; docId < values.size(); docId++) {
      if (values.get(docId).contains(value)) {
        want.add(docId);
      }
    }
    compare(column + ": inverted index, " + value, got, want);
  }

  private void probeRange(String column, DataSource source, Object one, Object other,
      List<List<Object>> values) {
    @SuppressWarnings("unchecked")
    Comparable<Object> first = (Comparable<Object>) one;
    Object low = first.compareTo(other) <= 0 ? one : other;
    Object high = low == one ? other : one;
    @SuppressWarnings("unchecked")
    RangeIndexReader<ImmutableRoaringBitmap> index =
        (RangeIndexReader<ImmutableRoaringBitmap>) source.getRangeIndex();
    Set<Integer> sure = new TreeSet<>();
    Set<Integer> unsure = new TreeSet<>();
    ask(index, source, low, high, sure, unsure);
    Set<Integer> want = new TreeSet<>();
    for (int docId = 0; docId < values.size(); docId++) {
      for (Object value : values.get(docId)) {
        @SuppressWarnings("unchecked")
        Comparable<Object> at = (Comparable<Object>) value;
        if (at.compareTo(low) >= 0 && at.compareTo(high) <= 0) {
          want.add(docId);
        }
      }
    }
    String what = column + ": range index, " + low + " to " + high;
    if (index.isExact()) {
      compare(what, sure, want);
      return;
    }
    Set<Integer> all = new TreeSet<>(sure);
    all.addAll(unsure);
    count++;
    if (!want.containsAll(sure) || !all.containsAll(want)) {
      faults.add(what + ": " + sure.size() + " sure, " + all.size() + " possible, scan "
          + want.size());
    }
  }

  private static void ask(RangeIndexReader<ImmutableRoaringBitmap> index, DataSource source,
      Object low, Object high, Set<Integer> sure, Set<Integer> unsure) {
    DataType type = source.getDataSourceMetadata().getDataType().getStoredType();
    Dictionary dictionary = source.getDictionary();
    if (dictionary != null) {
      int from = dictionary.indexOf(text(low));
      int to = dictionary.indexOf(text(high));
      add(sure, index.getMatchingDocIds(from, to));
      add(unsure, index.getPartiallyMatchingDocIds(from, to));
      return;
    }
    switch (type) {
      case INT -> {
        add(sure, index.getMatchingDocIds((int) low, (int) high));
        add(unsure, index.getPartiallyMatchingDocIds((int) low, (int) high));
      }
      case LONG -> {
        add(sure, index.getMatchingDocIds((long) low, (long) high));
        add(unsure, index.getPartiallyMatchingDocIds((long) low, (long) high));
      }
      case FLOAT -> {
        add(sure, index.getMatchingDocIds((float) low, (float) high));
        add(unsure, index.getPartiallyMatchingDocIds((float) low, (float) high));
      }
      case DOUBLE -> {
        add(sure, index.getMatchingDocIds((double) low, (double) high));
        add(unsure, index.getPartiallyMatchingDocIds((double) low, (double) high));
      }
      default -> throw new IllegalStateException("range index on raw " + type);
    }
  }

  private static void add(Set<Integer> to, ImmutableRoaringBitmap docIds) {
    if (docIds != null) {
      docIds.forEach((org.roaringbitmap.IntConsumer) to::add);
    }
  }

  /** No value is denied; of values that are not there few are promised. */
  private void probeBloom(String column, BloomFilterReader bloom, Set<Object> distinct) {
    for (Object value : distinct) {
      count++;
      if (!bloom.mightContain(text(value))) {
        faults.add(column + ": the bloom filter denies " + value);
      }
    }
    int wrong = 0;
    for (int i = 0; i < ABSENT; i++) {
      wrong += bloom.mightContain("absent " + random.nextLong()) ? 1 : 0;
    }
    if (wrong > ABSENT / 4) { // asked for 1 in 20 and better
      faults.add(column + ": the bloom filter promises " + wrong + " of " + ABSENT);
    }
  }

  private static String text(Object value) {
    return value.toString();
  }

  private void compare(String what, Set<Integer> got, Set<Integer> want) {
    count++;
    if (!got.equals(want)) {
      faults.add(what + ": " + got.size() + " documents, scan " + want.size());
    }
  }
}
