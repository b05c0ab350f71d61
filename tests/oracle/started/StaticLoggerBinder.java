package org.slf4j.impl;

import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.helpers.MarkerIgnoringBase;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggerFactoryBinder;

/**
 * The log of a started process, where the jars of a release bring none: one line per event on
 * standard output, {@code LEVEL TAB logger TAB message [TAB throwable TAB its causes]}.
 */
public final class StaticLoggerBinder implements LoggerFactoryBinder, ILoggerFactory {
    public static final String REQUESTED_API_VERSION = "1.7.36";
    private static final StaticLoggerBinder SINGLETON = new StaticLoggerBinder();

    public static StaticLoggerBinder getSingleton() {
        return SINGLETON;
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return this;
    }

    @Override
    public String getLoggerFactoryClassStr() {
        return StaticLoggerBinder.class.getName();
    }

    @Override
    public Logger getLogger(String name) {
        return new Lines(name);
    }

    private static final class Lines extends MarkerIgnoringBase {
        private static final long serialVersionUID = 1L;

        Lines(String name) {
            this.name = name;
        }

        private void line(String level, String message, Throwable thrown) {
            // Of what is only told, the end of a start.
            if (level.equals("INFO") && (message == null || !message.contains("started"))) {
                return;
            }
            StringBuilder text = new StringBuilder(level).append('\t').append(name).append('\t').append(message);
            for (Throwable one = thrown; one != null; one = one.getCause()) {
                text.append('\t').append(one);
            }
            System.out.println(text.toString().replace('\n', ' '));
        }

        private void line(String level, String format, Object... arguments) {
            var tuple = MessageFormatter.arrayFormat(format, arguments);
            line(level, tuple.getMessage(), tuple.getThrowable());
        }

        @Override public boolean isTraceEnabled() { return false; }
        @Override public void trace(String m) { }
        @Override public void trace(String f, Object a) { }
        @Override public void trace(String f, Object a, Object b) { }
        @Override public void trace(String f, Object... a) { }
        @Override public void trace(String m, Throwable t) { }
        @Override public boolean isDebugEnabled() { return false; }
        @Override public void debug(String m) { }
        @Override public void debug(String f, Object a) { }
        @Override public void debug(String f, Object a, Object b) { }
        @Override public void debug(String f, Object... a) { }
        @Override public void debug(String m, Throwable t) { }
        @Override public boolean isInfoEnabled() { return true; }
        @Override public void info(String m) { line("INFO", m, (Throwable) null); }
        @Override public void info(String f, Object a) { line("INFO", f, new Object[] {a}); }
        @Override public void info(String f, Object a, Object b) { line("INFO", f, new Object[] {a, b}); }
        @Override public void info(String f, Object... a) { line("INFO", f, a); }
        @Override public void info(String m, Throwable t) { line("INFO", m, t); }
        @Override public boolean isWarnEnabled() { return true; }
        @Override public void warn(String m) { line("WARN", m, (Throwable) null); }
        @Override public void warn(String f, Object a) { line("WARN", f, new Object[] {a}); }
        @Override public void warn(String f, Object a, Object b) { line("WARN", f, new Object[] {a, b}); }
        @Override public void warn(String f, Object... a) { line("WARN", f, a); }
        @Override public void warn(String m, Throwable t) { line("WARN", m, t); }
        @Override public boolean isErrorEnabled() { return true; }
        @Override public void error(String m) { line("ERROR", m, (Throwable) null); }
        @Override public void error(String f, Object a) { line("ERROR", f, new Object[] {a}); }
        @Override public void error(String f, Object a, Object b) { line("ERROR", f, new Object[] {a, b}); }
        @Override public void error(String f, Object... a) { line("ERROR", f, a); }
        @Override public void error(String m, Throwable t) { line("ERROR", m, t); }
    }
}
