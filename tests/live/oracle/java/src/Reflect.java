import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** What releases keep private, or have moved. */
final class Reflect {
    private Reflect() {}

    static Object field(Object object, String name) throws NoSuchFieldException, IllegalAccessException {
        return find(object, name).get(object);
    }

    static void set(Object object, String name, Object value) throws NoSuchFieldException, IllegalAccessException {
        find(object, name).set(object, value);
    }

    private static Field find(Object object, String name) throws NoSuchFieldException {
        for (Class<?> c = object.getClass(); c != null; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (!field.getName().equals(name)) continue;
                field.setAccessible(true);
                return field;
            }
        }
        throw new NoSuchFieldException(name + " in " + object.getClass());
    }

    /** Calls the method of that name and number of parameters, and throws what it throws. */
    static Object call(Class<?> in, Object object, String name, Object... arguments) throws Exception {
        for (Method method : in.getDeclaredMethods()) {
            if (!method.getName().equals(name) || method.getParameterCount() != arguments.length) continue;
            method.setAccessible(true);
            try {
                return method.invoke(object, arguments);
            } catch (IllegalArgumentException e) {
                continue; // another of that name
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof Exception) throw (Exception) e.getCause();
                throw (Error) e.getCause();
            }
        }
        throw new NoSuchMethodException(name + " with " + arguments.length + " parameters in " + in);
    }
}
