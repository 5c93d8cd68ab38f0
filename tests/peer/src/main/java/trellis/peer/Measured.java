package trellis.peer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** Times a piece of work again and again: wall clock, this thread's CPU time, bytes allocated. */
final class Measured {
  /** Does the work once; what it returns is used, so that it is not left out. */
  interface Work {
    long run() throws Exception;
  }

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static volatile long sink;

  private Measured() {
  }

  /** Adds to `to` the medians of `times` runs behind `warmUps` others, per unit of `units`. */
  static void add(ArrayNode to, String name, long units, int warmUps, int times, Work work)
      throws Exception {
    long[] wall = new long[times];
    long[] cpu = new long[times];
    long[] allocated = new long[times];
    for (int i = -warmUps; i < times; i++) {
      long bytes = THREADS.getCurrentThreadAllocatedBytes();
      long cpuBefore = THREADS.getCurrentThreadCpuTime();
      long before = System.nanoTime();
      sink += work.run();
      long after = System.nanoTime();
      if (i >= 0) {
        wall[i] = after - before;
        cpu[i] = THREADS.getCurrentThreadCpuTime() - cpuBefore;
        allocated[i] = THREADS.getCurrentThreadAllocatedBytes() - bytes;
      }
    }
    ObjectNode result = to.addObject().put("name", name).put("times", times);
    result.put("wall_ns", median(wall) / (double) units);
    result.put("cpu_ns", median(cpu) / (double) units);
    result.put("cpu_ns_min", cpu[0] / (double) units);
    result.put("cpu_ns_max", cpu[times - 1] / (double) units);
    result.put("alloc_bytes", median(allocated) / (double) units);
  }

  /** Sorts `numbers`. */
  private static long median(long[] numbers) {
    Arrays.sort(numbers);
    return numbers[numbers.length / 2];
  }
}
