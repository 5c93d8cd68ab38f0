package trellis.peer;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** Invented weather stations and what they report: a seeded source of values of every type. */
final class Weather {
  /** 2025-03-01T00:00:00Z. */
  static final long START_MS = 1740787200000L;
  private static final List<String> PLACES = List.of("Harbour Gate", "Mill Lane", "Café Ørsted",
      "Żuraw Bridge", "日の出 Plaza", "Ωmega Point", "Хутор 9", "⛰ Ridge", "\uFF21wide",
      "\uE000private", "🌧 Basin", "🌡 Lab", "Swan Lake", "Fish Market");
  private static final List<String> SKIES = List.of("clear", "few", "scattered", "broken",
      "overcast", "fog", "snow", "hail");

  private final Random random;

  Weather(long seed) {
    random = new Random(seed);
  }

  int below(int limit) {
    return random.nextInt(limit);
  }

  /** True once in `times` on average. */
  boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  int anyInt() {
    return random.nextInt();
  }

  long anyLong() {
    return random.nextLong();
  }

  float temperature() {
    return random.nextInt(900) / 16f - 20f;
  }

  double pressure() {
    return 950 + random.nextInt(8000) / 100.0;
  }

  float anyFloat() {
    return random.nextFloat() * 2000 - 1000;
  }

  double anyDouble() {
    return random.nextGaussian() * 1e6;
  }

  /** Rain in millimetres: up to 12 digits, 0 to 5 of them after the point, sometimes negative. */
  BigDecimal rain() {
    BigInteger digits =
        BigInteger.valueOf(random.nextInt()).multiply(BigInteger.valueOf(1 + below(99)));
    return new BigDecimal(digits.multiply(BigInteger.TEN).add(BigInteger.ONE), below(6));
  }

  long momentMs() {
    return START_MS + below(90 * 24) * 3_600_000L + below(3) * 1001L;
  }

  String place() {
    return PLACES.get(below(PLACES.size()));
  }

  String sky() {
    return SKIES.get(below(SKIES.size()));
  }

  String report() {
    return "{\"sky\":\"" + sky() + "\",\"wind\":{\"deg\":" + below(360) + ",\"gust\":" + below(40)
        + "},\"layers\":[" + below(9) + "," + below(9) + "]}";
  }

  /** A text of `length` UTF-16 units, made of words so that codecs find something to do. */
  String text(int length) {
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      text.append(sky()).append(below(50)).append(' ');
    }
    return text.substring(0, length);
  }

  byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** 1 to `most` values. */
  Object[] many(int most, Supplier<Object> value) {
    return some(1 + below(most), value);
  }

  static Object[] some(int count, Supplier<Object> value) {
    Object[] values = new Object[count];
    for (int i = 0; i < count; i++) {
      values[i] = value.get();
    }
    return values;
  }

  /** Up to `most` entries with keys `prefix0`, `prefix1`, ... */
  Map<String, Object> map(String prefix, int most, Supplier<Object> value) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = below(most + 1); i > 0; i--) {
      map.put(prefix + below(most * 2), value.get());
    }
    return map;
  }

  /** One line of a station's log: few shapes, many numbers, as log compressors like it. */
  String logLine(int number) {
    return switch (below(6)) {
      case 0 -> "INFO station " + below(20) + " sent " + below(5000) + " bytes in " + below(900)
          + " ms";
      case 1 -> "WARN sensor=t" + below(9) + "x read " + below(400) / 10.0 + " C, wanted 12.50 C";
      case 2 -> "INFO task_" + below(12) + " done at 2025-03-01T00:" + (10 + below(50))
          + ":00.250Z";
      case 3 -> "ERROR host wx" + below(4) + ".example lost after -" + below(70)
          + " tries, 0.00 left";
      case 4 -> "INFO gauge " + place() + below(9) + "é is back, id 00" + below(9) + ", total -"
          + below(99) + ".5";
      default -> "DEBUG tick " + number + " of 9223372036854775807 a\\b " + sky();
    };
  }
}
